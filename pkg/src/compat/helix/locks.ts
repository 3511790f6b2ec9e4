/** A lock that is held. */
export interface DistributedLock {
  readonly resource: string;
  readonly lockId: string;
  /** Grows with every lock, so that a holder who was overtaken is told from the one who holds it now. */
  readonly fencingToken: number;
  readonly acquiredAt: number;
  readonly expiresAt: number;
  readonly holderId: string;
}

/** How a lock is asked for. */
export interface AcquireOptions {
  ttlMs: number;
  /** Whether to wait while somebody else holds it. */
  wait?: boolean;
  waitTimeoutMs?: number;
}

/** Whether a lock was given. */
export type LockAcquisitionResult = { acquired: true; lock: DistributedLock } | { acquired: false; heldBy: string };

/** Gives locks, across processes. */
export interface LockManager {
  readonly holderId: string;
  acquire(resource: string, options: AcquireOptions): Promise<LockAcquisitionResult>;
  extend(lock: DistributedLock, ttlMs: number): Promise<DistributedLock | null>;
  release(lock: DistributedLock): Promise<boolean>;
  withLock<T>(resource: string, options: { ttlMs: number; heartbeatMs?: number }, run: (lock: DistributedLock) => Promise<T>): Promise<T>;
}

/**
 * Gives every lock at once: for a single process, and for Durable Objects, of which there is one.
 *
 * @example
 * ```ts
 * import { NoOpLockManager } from "patchwire/helix";
 * const locks = new NoOpLockManager();
 * console.log(await locks.withLock("session-1", { ttlMs: 1000 }, async (lock) => lock.fencingToken)); // 1
 * ```
 */
export class NoOpLockManager implements LockManager {
  #tokens = 0;

  constructor(readonly holderId: string = "local") {}

  /**
   * A lock, always.
   *
   * @example
   * ```ts
   * import { NoOpLockManager } from "patchwire/helix";
   * console.log((await new NoOpLockManager().acquire("session-1", { ttlMs: 1000 })).acquired); // true
   * ```
   */
  async acquire(resource: string, { ttlMs }: AcquireOptions): Promise<{ acquired: true; lock: DistributedLock }> {
    const fencingToken = ++this.#tokens;
    const acquiredAt = Date.now();
    return { acquired: true, lock: { resource, lockId: `${this.holderId}-${fencingToken}`, fencingToken, acquiredAt, expiresAt: acquiredAt + ttlMs, holderId: this.holderId } };
  }

  /**
   * The lock for longer.
   *
   * @example
   * ```ts
   * import { NoOpLockManager } from "patchwire/helix";
   * const locks = new NoOpLockManager();
   * const { lock } = await locks.acquire("session-1", { ttlMs: 1000 });
   * console.log((await locks.extend(lock, 60_000)).expiresAt > lock.expiresAt); // true
   * ```
   */
  async extend(lock: DistributedLock, ttlMs: number): Promise<DistributedLock> {
    return { ...lock, expiresAt: Date.now() + ttlMs };
  }

  /**
   * Gives the lock back.
   *
   * @example
   * ```ts
   * import { NoOpLockManager } from "patchwire/helix";
   * const locks = new NoOpLockManager();
   * const { lock } = await locks.acquire("session-1", { ttlMs: 1000 });
   * console.log(await locks.release(lock)); // true
   * ```
   */
  async release(_lock: DistributedLock): Promise<boolean> {
    return true;
  }

  /**
   * Runs a function with a lock.
   *
   * @example
   * ```ts
   * import { NoOpLockManager } from "patchwire/helix";
   * console.log(await new NoOpLockManager().withLock("session-1", { ttlMs: 1000 }, async () => "done")); // done
   * ```
   */
  async withLock<T>(resource: string, options: { ttlMs: number; heartbeatMs?: number }, run: (lock: DistributedLock) => Promise<T>): Promise<T> {
    const { lock } = await this.acquire(resource, options);
    return run(lock);
  }
}

/**
 * Somebody else holds the lock.
 *
 * @example
 * ```ts
 * import { LockNotAcquiredError } from "patchwire/helix";
 * console.log(new LockNotAcquiredError("session-1", "worker-2").message); // the lock on session-1 is held by worker-2
 * ```
 */
export class LockNotAcquiredError extends Error {
  override name = "LockNotAcquiredError";

  constructor(readonly resource: string, readonly heldBy: string) {
    super(`the lock on ${resource} is held by ${heldBy}`);
  }
}

/**
 * The lock was lost while it was used.
 *
 * @example
 * ```ts
 * import { LockLostError } from "patchwire/helix";
 * console.log(new LockLostError("session-1", 7).fencingToken); // 7
 * ```
 */
export class LockLostError extends Error {
  override name = "LockLostError";

  constructor(readonly resource: string, readonly fencingToken: number) {
    super(`the lock on ${resource} was lost`);
  }
}
