import { Place } from "./place.js";
import type { Tree, Version } from "./tree.js";

/** A target that `console.log` shows as the state: it asks a proxy's target rather than the proxy. */
function shown(target: object): object {
  const value = function (this: object) {
    return Array.isArray(this) ? [...this] : { ...this };
  };
  return Object.defineProperty(target, Symbol.for("nodejs.util.inspect.custom"), { value, configurable: true });
}

// Nothing is ever written to a target, so all proxies share these.
const [OBJECT, ARRAY] = [shown({}), shown([])];

/** A state that is looked up when it is read: until then a version costs nothing. */
export function stateOf(tree: Tree, version: Version): unknown {
  version.isOut = true;
  return tree.root instanceof Place ? new Proxy(tree.root.isArray ? ARRAY : OBJECT, new LazyState(tree, version)) : tree.root;
}

class LazyState implements ProxyHandler<object> {
  constructor(
    private readonly tree: Tree,
    private readonly version: Version,
  ) {}

  private state(): object {
    return this.tree.publish(this.version) as object;
  }

  get(_: object, key: PropertyKey): unknown {
    return this.tree.member(this.version, key);
  }

  has(_: object, key: PropertyKey): boolean {
    return Reflect.has(this.state(), key);
  }

  ownKeys(): (string | symbol)[] {
    return Reflect.ownKeys(this.state());
  }

  getPrototypeOf(): object | null {
    return Reflect.getPrototypeOf(this.state());
  }

  getOwnPropertyDescriptor(target: object, key: PropertyKey): PropertyDescriptor | undefined {
    const descriptor = Reflect.getOwnPropertyDescriptor(this.state(), key);
    // A proxy may only show as fixed what its own target has.
    const fixed = Reflect.getOwnPropertyDescriptor(target, key)?.configurable === false;
    return descriptor && { ...descriptor, configurable: !fixed, writable: fixed };
  }

  set(): never {
    throw new TypeError("a published state is read-only: change it in a recipe");
  }

  defineProperty(): never {
    return this.set();
  }

  deleteProperty(): never {
    return this.set();
  }

  setPrototypeOf(): never {
    return this.set();
  }

  preventExtensions(): never {
    return this.set();
  }
}
