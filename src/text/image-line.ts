/** A `docker run` line that starts an image elsewhere as Cordon starts it here. Pure. */

export interface ImageLine {
  /** With digest or tag. */
  readonly image: string
  readonly args: readonly string[]
  readonly entrypoint?: string | undefined
  readonly workingFolder?: string | undefined
  readonly user?: { readonly uid: number; readonly gid: number } | undefined
  readonly environment?: Readonly<Record<string, string>> | undefined
  /** Variables whose values are given to `docker` itself. */
  readonly names?: readonly string[]
  /** Paths inside by path outside. */
  readonly shownAt?: Readonly<Record<string, string>> | undefined
}

/** The words after `docker`. */
export function imageLine(line: ImageLine): readonly string[] {
  const { image, args, entrypoint, workingFolder, user, environment = {}, shownAt = {} } = line
  return [
    ['run', '-i', '--rm'],
    ...(line.names ?? []).map((name) => ['-e', name]),
    ...Object.entries(environment).map(([name, value]) => ['-e', `${name}=${value}`]),
    ...Object.entries(shownAt).map(([from, to]) => ['-v', `${from}:${to}`]),
    workingFolder === undefined ? [] : ['-w', workingFolder],
    user === undefined ? [] : ['-u', `${user.uid}:${user.gid}`],
    entrypoint === undefined ? [] : ['--entrypoint', entrypoint],
    [image, ...args],
  ].flat()
}
