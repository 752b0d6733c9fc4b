export default class extends Base {}
class Base {}
