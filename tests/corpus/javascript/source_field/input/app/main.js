import { go } from "tool";
import { other } from "tool/other";
