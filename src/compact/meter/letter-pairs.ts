/**
 * How much a pair of neighbouring letters adds to the tokens of a word. Pairs that are common in words (`th`, `in`)
 * stand inside tokens and add little; pairs that are not (`qx`, `vk`) end a token. So words stay cheap while
 * identifiers, hashes and base64 get dear without anybody having to recognise them. Fitted to the o200k vocabulary by
 * least squares over the words of agent histories and random letters; other vocabularies of this size behave alike.
 *
 * One digit of base 62 per pair, in fiftieths of a token (the table has hundredths); rows by the first letter, two
 * rows per line.
 */

/** The second letter is small. */
const smallRows = [
  "P500Y31T1R3000y0b04154740F2TKN0ZGV58W0BU0Qg5BN0SXX0Z",
  "0Q3K0Pb00b02GX1KR0900VMR0U4FX42O4W37AAGU0OfH6G5ORQ0b",
  "0I04143CFSQ370C72002E500JW1RVR05Qh0Xe7UX0SY2H10aePCf",
  "Fhhr2j631bv8D90in26F2YWdJO02eW0hYS0acLTG0WIKC06VaXFV",
  "CC40000cam801010A200C1g7j4Ddfc0dXXOUaTbX1LKo7d5dSXTd",
  "4SeI095e9YcUW6PSkV5X9VLYOj1DS004KT3oV3qR07mP4009Mk0j",
  "23e60ZMj7gK72702Qj2C6MTTHa0d30060W3P5CF818bT4024aX7Z",
  "1044U03X04103044V0550206Gj1ZM00TO6AhW06S00h0400UWJCc",
  "OegokqnfbqmChhhfTMcU0kgXZn4IE00C3T2k18040NT37133Hb0i",
  "6m4C02J30g198F03D01028IY1f0a9I0Hd02ld6Be57j5330k9N0l",
  "84090H8g3jY001N6j000fOhHmJ3mfh0mFa0Yghhi6bXbRkVXXdGV",
  "0aZ90ig10ecJa30aj43ZbW5SWf5c4cAhka8flRIWh7deN2bdcPEa",
  "QNQoEkSnCchBH948lJ0JYkCeXH0dhY5UYSIfYSQYDafiidCXUZCK",
].join("")

/** The second letter is a capital, and so is the first, or they would be two words. */
const capitalRows = [
  "Y0H7cJOV7YS310X0G0C0UWOG9S3RJP6dRRIQKCROLTNCNSMOYWNN",
  "7RD50Ta4BVIEQXC4R3F3NTUTSQePWL8HTU0RKVFS7OOHPOXRWNFR",
  "0LAS70AgYpZGL0AU60A5VOH14Y0VISEDWV0hSBZWAbeFOBCQWRMf",
  "K9WT4bKBEmUFMcNSgJOQXWWRQn7RbRAVOSUPMWZZ6XJkV0SLQTPQ",
  "SOA0SH0YDVU2005CVPA1RLYHmHUQSKTOPiXRNUSQLSjS8RTP7ipe",
  "VCWQ9ROXIhNSVQUVfYNIVPPjOfFOS34OXR0kWFZb9TkjN03oLTHh",
  "0FMW0YPbQQS34e05QPEOFPUQUlFPC640HUFQNJPP0PUf06JCUPDM",
  "QI70e87SFQ90A0HKb08D6U0TQk6RJ0AUWWDSR9WH0SR9K6DVUVDe",
  "MORWZnngZgr5ZWmXKWYX0QmlhnOVgB0CFR5S13FB7OL9D0GNKT7e",
  "AJ980TY93SQRma5N8a40C7GN6Y3W8X2aW2HWcCFf06jZN9XaPOGW",
  "Xj5X8WLRATQ082j0i730ETLFQV6VVW0SDU1fQMAcQOhaNKTSYOdh",
  "0WaXHUS8TjNWSP0YfYUFZTZKXcMUSPUWgjAjfOHbXpjYdGmViFKI",
  "HeVVTnUlglKabYLIfW9XTgWO7RZhgRJNTRQjiiSYXokdWUTgSMPK",
].join("")

const digitsBelow = (code: number): number => (code < 58 ? code - 48 : code < 91 ? code - 55 : code - 61)

/** Index: capital flag << 10 | first letter (1 to 26) << 5 | second letter. */
export const letterPairs: Uint8Array = (() => {
  const table = new Uint8Array(2048)
  for (const [capital, rows] of [smallRows, capitalRows].entries()) {
    for (let position = 0; position < rows.length; position++) {
      const first = Math.trunc(position / 26) + 1
      const second = (position % 26) + 1
      table[(capital << 10) | (first << 5) | second] = digitsBelow(rows.charCodeAt(position)) * 2
    }
  }
  return table
})()
