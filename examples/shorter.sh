# A judge for the example: of two texts it prefers the shorter one.
if [ "${#1}" -lt "${#2}" ]; then echo left; elif [ "${#1}" -gt "${#2}" ]; then echo right; else echo tie; fi
