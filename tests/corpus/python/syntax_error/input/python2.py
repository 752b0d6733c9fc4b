import good
print "hello"
exec "code"
