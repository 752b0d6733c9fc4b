package b;

import a.*;
import c.*;
import java.util.*;

class Demand {
    Item item;
    Other other;
    Object object;
    Map map;
}
