/**
 * Environment variables that decide which code any program loads or which certificates it trusts. An untrusted
 * definition could set one to run its own code inside a server that looks harmless. Pure.
 */

const LOADER = [
  // the dynamic linker
  String.raw`(?:LD|DYLD|LDR)_\w+`,
  'GCONV_PATH',
  // shells
  'BASH_ENV|ENV|SHELLOPTS|BASHOPTS|PROMPT_COMMAND|PS4|IFS|ZDOTDIR',
  String.raw`BASH_FUNC_\w+`,
  // runtimes
  String.raw`NODE_(?:OPTIONS|PATH|EXTRA_CA_CERTS|TLS_REJECT_UNAUTHORIZED|REPL_\w+)`,
  String.raw`PYTHON(?!UNBUFFERED$|IOENCODING$|UTF8$|DONTWRITEBYTECODE$|HASHSEED$|WARNINGS$)\w+`,
  'PERL5OPT|PERL5LIB|PERL5DB|PERLLIB|RUBYOPT|RUBYLIB|GEM_HOME|GEM_PATH|LUA_INIT|LUA_PATH|LUA_CPATH',
  'JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH|MAVEN_OPTS|GRADLE_OPTS',
  String.raw`DOTNET_(?:STARTUP_HOOKS|ADDITIONAL_DEPS|SHARED_STORE)|COR(?:ECLR)?_PROFILER\w*`,
  // programs that download or start other programs
  String.raw`(?:NPM|YARN|PNPM|BUN)_CONFIG_\w+|(?:PIP|UV)_\w*(?:INDEX|FIND_LINKS)\w*`,
  String.raw`GIT_(?:SSH|SSH_COMMAND|EXEC_PATH|EXTERNAL_DIFF|CONFIG\w*|PROXY_COMMAND|TEMPLATE_DIR)`,
  'PAGER|EDITOR|VISUAL|BROWSER|OPENSSL_CONF|SSL_CERT_FILE|SSL_CERT_DIR',
].join('|')

const STEERS_LOADER = new RegExp(`^(?:${LOADER})$`, 'i')

export function steersLoader(name: string): boolean {
  return STEERS_LOADER.test(name)
}
