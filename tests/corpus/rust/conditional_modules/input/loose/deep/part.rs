pub struct Part;
