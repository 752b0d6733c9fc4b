#include "sink.h"

void run(Sink *sink) {
    sink->open();
    sink->flush();
}
