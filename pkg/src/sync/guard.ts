/** Calls a listener. What it throws is reported, and is neither other listeners' fault nor ours. */
export function guard(listener: () => void): void {
  try {
    listener();
  } catch (error) {
    if (typeof reportError === "function") reportError(error);
    else
      queueMicrotask(() => {
        throw error;
      });
  }
}
