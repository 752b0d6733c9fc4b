using Shop.Model;
using System.Linq;
using Newtonsoft.Json;

namespace Shop
{
    public class Order
    {
        private Item first = new Item();
        Price total;
    }
}
