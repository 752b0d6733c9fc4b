import shop.Cart

val cart = new Cart
println(cart.total)
