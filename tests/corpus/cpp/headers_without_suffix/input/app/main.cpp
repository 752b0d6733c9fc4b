#include <Eigen/Dense>
#include <QtGui/QWidget>
#include "Legacy"
#include "notes"

int main() {
    Legacy legacy;
    return 0;
}
