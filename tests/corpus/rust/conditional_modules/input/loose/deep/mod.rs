mod part;
use part::Part;
