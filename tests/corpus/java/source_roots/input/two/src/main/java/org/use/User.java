package org.use;

import org.app.Only;
import org.app.Thing;

class User {
    Thing thing;
}
