import { Repo, Logger, create } from './repo';
import type { Port } from './port';

class Service {
  static instance: Service;
  private logger = new Logger();
  repo?: Repo | null;
  constructor(private readonly port: Port, other: Repo, public list: Repo[]) {
    this.late = new Logger();
    this.repo = other;
    other.save();
  }
  private late;
  run(items: Map<string, Repo>, unknown, text: string): void {
    this.port.send();
    this.logger.write();
    this.late.write();
    this.repo!.save();
    this.repo?.first().name();
    this.list.save();
    unknown.send();
    text.write();
    const local = new Repo();
    local.save();
    const made = create();
    made.save();
    Service.instance.run();
  }
  async wait() {
    const repo = await this.make();
    repo.save();
    (await this.make()).save();
  }
  async make(): Promise<Repo> { return new Repo(); }
}
