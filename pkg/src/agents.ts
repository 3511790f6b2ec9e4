/**
 * Live states in the `Agent` of Cloudflare's Agents SDK.
 *
 * @module
 */
export { attach } from "./sync/attach.js";
