package shop.tools

import shop.model.Price

object Tool {
  def sum(p: Price): Price = p
}
