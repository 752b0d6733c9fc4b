declare module 'left-pad' {
  export default function pad(text: string): string;
}
declare module '*.svg';
declare global {
  interface Window {
    tool: Tool;
  }
}
interface Tool {
  run(): void;
}
export {};
