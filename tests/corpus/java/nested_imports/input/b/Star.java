package b;

import a.Outer.*;

class Star implements Two {
}
