import { go } from "root";
import { kind } from "root/lib";
import "..";
