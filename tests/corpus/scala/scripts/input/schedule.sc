# no coincidence
domain: "{ S[i] : 0 <= i < 10 }"
validity: "{ S[i] -> S[i + 1] }"
