typedef int id_type;
