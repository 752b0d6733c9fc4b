import { Injectable, Input } from './decorators';
import { Service } from './service';

@Injectable({ use: Service })
export class Component {
  @Input() value = 1;
  @Input()
  run(@Inject(Service) service: Service) {
    service.start();
  }
}

function Inject(token: unknown) {}

@sealed
class Other {}
function sealed(target: unknown) {}
