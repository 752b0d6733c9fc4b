package b;

import a.Outer.One;
import a.Outer.One.Deep;

class Single extends One {
    Deep deep;
    One.Deep same;
}
