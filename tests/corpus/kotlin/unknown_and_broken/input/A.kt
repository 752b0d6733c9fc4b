package p.q

import p.q.Missing
import p.q.gen.Made
import com.acme.lib.Thing

class A
