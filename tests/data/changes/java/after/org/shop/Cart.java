package org.shop;

import java.util.*;

public class Cart {
    private final List<Integer> items = new ArrayList<>();

    int countItems() {
        Map<Integer, Integer> seen = new HashMap<>();
        for (int item : items) seen.merge(item, 1, Integer::sum);
        return seen.size();
    }

    /** Makes one. */
    public Cart() {
        items.clear();
    }

    void add(String price) { items.add(Integer.parseInt(price)); }

    void add(int price) { items.add(0, price); }

    int value() { return items.stream().mapToInt(item -> item * 3).sum(); }

    @Deprecated
    int first() { return items.get(0); }

    static class Line {
        int width(int tabs) { return tabs * 8 + 1; }
    }
}
