package p;

import java.util.Iterator;

interface Steps extends Iterator<Object> {
}
