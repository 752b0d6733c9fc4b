# note
def f(a, b = 1, *c)
  if a && b
    c.each do |x|
      while x
        puts x
      end
    end
  elsif b or a
    1
  end
  puts 1 unless a
  case a
  when 1 then 2
  when 2, 3 then 4
  else 5
  end
rescue IOError => e
  a ? b : c
end
