use shop_core::model::Item;
