// comment
module "example.com/shop" // the shop
