package org.shop;

import java.util.*;

public class Cart {
    private final List<Integer> items = new ArrayList<>();

    public Cart() { items.clear(); }

    void add(int price) { items.add(price); }

    void add(String price) { items.add(Integer.parseInt(price)); }

    int countAll() {
        Map<Integer, Integer> seen = new HashMap<>();
        for (int item : items) seen.merge(item, 1, Integer::sum);
        return seen.size();
    }

    int value() { return items.stream().mapToInt(item -> item * 2).sum(); }

    static class Line {
        int width(int tabs) { return tabs * 8 + 1; }
    }
}
