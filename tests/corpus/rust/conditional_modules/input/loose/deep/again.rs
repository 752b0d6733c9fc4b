use super::part::Part;
