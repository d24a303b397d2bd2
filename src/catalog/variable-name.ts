/** Which environment names a stranger may set: any that mean nothing to the machinery the server runs in. Pure. */

const SHAPE = /^[A-Za-z_]\w{0,127}$/
/** These steer the loader, the runtime or the way out, whatever the server wants. */
const STEERING =
  /^(?:(?:LD|DYLD|BASH|NPM_CONFIG|SSL|CORDON)_\w+|NODE_(?!ENV$)\w+|\w*_PROXY|PATH|HOME|SHELL|ENV|IFS|TMPDIR|USER|PWD)$/i

export function isSettableName(name: string): boolean {
  return SHAPE.test(name) && !STEERING.test(name)
}
