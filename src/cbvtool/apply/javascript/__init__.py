"""JavaScript and TypeScript files that change places, with what names them."""
