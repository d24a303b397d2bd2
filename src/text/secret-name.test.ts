import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksForSecret, isSecretName, namesPassword, nameWords } from './secret-name.ts'

const USES = ['declared', 'given', 'shown'] as const

test('a name that announces a secret does so to every use', () => {
  const names =
    'password,PASSWD,passphrase,passcode,DB_PWD,client_secret,clientSecrets,credential,Credentials,NOTION_TOKEN,accessToken,otp,cvc,CVV,cookie,set-cookie,Authorization,bearer,jwt,apikey,api_key,x-api-key,tavilyApiKey,apiKeys,private key,PRIVATE_KEY,AWS_ACCESS_KEY,security-code,loginCode,one_time_code,verification code,cardNumber'
  for (const name of names.split(',')) {
    for (const use of USES) assert.ok(isSecretName(name, use), `${name} as ${use}`)
  }
})

test('words that often mean something else count in the name of a setting only', () => {
  for (const name of [
    'key',
    'hash',
    'signature',
    'private',
    'pat',
    'pass',
    'dsn',
    'authentication',
  ]) {
    assert.ok(isSecretName(name, 'declared') && isSecretName(name, 'given'), name)
    assert.ok(!isSecretName(name, 'shown'), name)
  }
})

test('a setting whose name only describes a secret is none; with a value, fewer words excuse it', () => {
  for (const name of [
    'TOKEN_URL',
    'PASSWORD_FILE',
    'PRIVATE_KEY_PATH',
    'TOKEN_TTL',
    'secretMode',
  ]) {
    assert.ok(!isSecretName(name, 'declared') && !isSecretName(name, 'given'), name)
    assert.ok(isSecretName(name, 'shown'), name)
  }
  for (const name of ['API_KEY_ID', 'TOKEN_NAME', 'PASSWORD_REQUIRED', 'TOKEN_EXPIRATION']) {
    assert.ok(!isSecretName(name, 'declared'), name)
    assert.ok(isSecretName(name, 'given'), name)
  }
})

test('ordinary names announce nothing', () => {
  for (const name of [
    '',
    'LOG_LEVEL',
    'MONKEY',
    'path',
    'hotpink',
    'keyword',
    'compass',
    'author',
  ]) {
    for (const use of USES) assert.ok(!isSecretName(name, use), `${name} as ${use}`)
  }
  assert.ok(!isSecretName('MAX_TOKENS', 'declared') && !isSecretName('MAX_TOKENS', 'given'))
})

test('a field is hidden also where the word is only a part of its name', () => {
  for (const name of ['mytoken', 'dbpassword2', 'tokens', 'xsecretx', 'passWord']) {
    assert.ok(isSecretName(name, 'shown'), name)
  }
})

test('asksForSecret() hears a sentence that asks for one, and no other', () => {
  for (const sentence of [
    'Please type your password',
    'Your credentials, please',
    'Paste the API key here',
    'the one-time code from your phone',
    'What is your PIN?',
    'Card number',
    'the user_token',
    'CVV',
  ]) {
    assert.ok(asksForSecret(sentence), sentence)
  }
  for (const sentence of [
    'How many tokens may it use?',
    'Which board shall I pin it to?',
    'Your boarding pass',
    'The key points of the talk',
    'A cookie recipe',
    'Are you the secretary?',
  ]) {
    assert.ok(!asksForSecret(sentence), sentence)
  }
})

test('a bare number may be a password, and hardly a key', () => {
  for (const name of ['DB_PASS', 'passcode', 'OTP', 'GITHUB_PAT'])
    assert.ok(namesPassword(name), name)
  for (const name of ['API_KEY', 'MAX_TOKENS', 'PATH']) assert.ok(!namesPassword(name), name)
})

test('nameWords() takes a name apart, however it is written', () => {
  for (const name of ['API_KEY', 'apiKey', 'api-key', 'Api Key']) {
    assert.deepEqual(nameWords(name), ['api', 'key'], name)
  }
})
