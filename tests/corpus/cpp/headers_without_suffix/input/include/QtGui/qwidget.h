class QWidget {};
