/** Which environment variables an unknown server may set: none that control its loader, runtime or proxy. Pure. */

const SHAPE = /^[A-Za-z_]\w{0,127}$/
/** Variables that control the loader, the runtime or the proxy, whatever the server intends. */
const STEERING =
  /^(?:(?:LD|DYLD|BASH|NPM_CONFIG|SSL|CORDON)_\w+|NODE_(?!ENV$)\w+|\w*_PROXY|PATH|HOME|SHELL|ENV|IFS|TMPDIR|USER|PWD)$/i

export function isSettableName(name: string): boolean {
  return SHAPE.test(name) && !STEERING.test(name)
}
