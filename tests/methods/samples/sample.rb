# One of each way in which Ruby defines a method.
module Outer
  class Inner::Deep < Base
    def initialize(a, b = 1, *rest)
      @a = a
    end

    def self.build
      new(1)
    end

    class << self
      def registry
        @registry ||= {}
      end
    end

    def ==(other)
      true
    end

    def value=(v)
      @value = v
    end

    def question?; true; end

    def endless(x) = x + 1

    private def hidden
      1
    end

    define_method(:generated) do |x|
      x
    end

    HANDLER = ->(x) { x }
    other = lambda { |x| x }

    def object.singleton
      2
    end
  end

  Record = Struct.new(:a) do
    def twice
      a * 2
    end
  end
end

module Outer
  module ::Absolute
    def outside; end
  end
end

def toplevel
  <<~TEXT
    text with def inside
  TEXT
end
