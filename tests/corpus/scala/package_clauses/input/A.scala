package a
package b

class Inner extends Outer
