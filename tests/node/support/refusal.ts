import { PatchwireError } from "patchwire";

/** The error with which something is refused; any other one, or none, fails the test. */
export function refusal(run: () => unknown): PatchwireError {
  try {
    run();
  } catch (error) {
    if (error instanceof PatchwireError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}
