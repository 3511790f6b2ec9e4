/** Functions of Rust's standard library: no name of a crate's own begins so, and no impl of a crate's own trait. */
const library = /^<?(core|alloc|std)(\[\w+\])?::(?!.* as )/;

/** What they are called that only panic. */
const panics = /^core(\[\w+\])?::panicking::|^std(\[\w+\])?::panicking::(begin_panic|panic_handler)|::panic_\w+$|(_fail|_failed|capacity_overflow|handle_error|handle_alloc_error)$/;

/**
 * What std panics with, which nobody outside of std can name. Tables of methods keep it where nobody calls it, and with it all
 * that formats messages.
 */
const payloads = /^<?std(\[\w+\])?::panicking::(begin_panic|panic_handler)|::<std(\[\w+\])?::panicking::panic_handler/;

/** Whether a function of a module, by its demangled name, is one that the standard library calls in order to panic. */
export const isPanic = (name) => payloads.test(name) || (library.test(name) && panics.test(name));
