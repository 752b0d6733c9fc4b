import { go } from "root";
