export interface Port { send(): void }
