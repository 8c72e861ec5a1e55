for part in 1 2; do
  py-spy record --rate 500 --format speedscope --output "$PROFGATE_OUT/bench.$part.json" -- python bench.py $part || exit 1
done
