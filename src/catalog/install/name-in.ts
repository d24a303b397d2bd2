/** Finds the package that npm complains about in its own words. Untrusted: taken only in the form of a name. Pure. */

const NAME = String.raw`(?:@[a-z0-9][\w.-]{0,100}\/)?[a-z0-9][\w.-]{0,100}`
const RANGE = String.raw`[\w.^~<>=*+-]{1,60}`
/** `No matching version found for dep@^1.0.1`, `'dep@1.0.1' is not in this registry`. */
const ASKED = new RegExp(
  String.raw`(?:found for |['"])(${NAME}@${RANGE}?)(?:\.?\s|\.?['"]|\.?$)`,
  'im',
)
/** `404 Not Found - GET https://host/@scope%2fdep/-/dep-1.0.1.tgz` */
const FETCHED = new RegExp(String.raw`GET https?:\/\/\S*?\/(${NAME})(?:\/-\/\S+|\s|$)`, 'im')

export function nameIn(text: string): string | undefined {
  const decoded = text.replaceAll(/%2f/gi, '/')
  return ASKED.exec(decoded)?.[1] ?? FETCHED.exec(decoded)?.[1]
}
