// What tests use of Node's modules, which workerd has too; @types/node would bring its globals along.
declare module "node:util" {
  export function formatWithOptions(options: object, ...values: unknown[]): string;
}

declare module "*?raw" {
  const text: string;
  export default text;
}
