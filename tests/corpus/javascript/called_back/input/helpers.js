export function described(text) {
  return text + ".";
}
