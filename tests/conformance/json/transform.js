// Generated file, do NOT edit

export default [
  {
    "name": "number_-9223372036854775808.json",
    "input": "[-9223372036854775808]\n"
  },
  {
    "name": "number_-9223372036854775809.json",
    "input": "[-9223372036854775809]\n"
  },
  {
    "name": "number_1.0.json",
    "input": "[1.0]\n"
  },
  {
    "name": "number_1.000000000000000005.json",
    "input": "[1.000000000000000005]\n"
  },
  {
    "name": "number_1000000000000000.json",
    "input": "[1000000000000000]\n"
  },
  {
    "name": "number_10000000000000000999.json",
    "input": "[10000000000000000999]\n"
  },
  {
    "name": "number_1e-999.json",
    "input": "[1E-999]\n"
  },
  {
    "name": "number_1e6.json",
    "input": "[1E6]\n"
  },
  {
    "name": "number_9223372036854775807.json",
    "input": "[9223372036854775807]\n"
  },
  {
    "name": "number_9223372036854775808.json",
    "input": "[9223372036854775808]\n"
  },
  {
    "name": "object_key_nfc_nfd.json",
    "input": "{\"é\":\"NFC\",\"é\":\"NFD\"}"
  },
  {
    "name": "object_key_nfd_nfc.json",
    "input": "{\"é\":\"NFD\",\"é\":\"NFC\"}"
  },
  {
    "name": "object_same_key_different_values.json",
    "input": "{\"a\":1,\"a\":2}"
  },
  {
    "name": "object_same_key_same_value.json",
    "input": "{\"a\":1,\"a\":1}"
  },
  {
    "name": "object_same_key_unclear_values.json",
    "input": "{\"a\":0, \"a\":-0}\n"
  },
  {
    "name": "string_1_escaped_invalid_codepoint.json",
    "input": "[\"\\uD800\"]"
  },
  {
    "name": "string_1_invalid_codepoint.json",
    "input": "[\"���\"]"
  },
  {
    "name": "string_2_escaped_invalid_codepoints.json",
    "input": "[\"\\uD800\\uD800\"]"
  },
  {
    "name": "string_2_invalid_codepoints.json",
    "input": "[\"������\"]"
  },
  {
    "name": "string_3_escaped_invalid_codepoints.json",
    "input": "[\"\\uD800\\uD800\\uD800\"]"
  },
  {
    "name": "string_3_invalid_codepoints.json",
    "input": "[\"���������\"]"
  },
  {
    "name": "string_with_escaped_NULL.json",
    "input": "[\"A\\u0000B\"]"
  }
]
